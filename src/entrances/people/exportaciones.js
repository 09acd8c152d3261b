// Brings the list of exports anew while one is being made. Without script a link does.
const EVERY_MS = 1_500;
const list = document.getElementById('exportaciones');

function isUnderWay() {
  return list.querySelector('[data-en-camino]') !== null;
}

async function renew() {
  const answer = await window.fetch(location.href, { headers: { 'x-unattended': '1' } });
  // The session may have ended: the link leads to where one signs in.
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const newer = page.getElementById('exportaciones');
  if (!newer) return;
  if (newer.innerHTML !== list.innerHTML) list.innerHTML = newer.innerHTML;
  again();
}

function again() {
  if (!isUnderWay()) return;
  if (document.hidden) document.addEventListener('visibilitychange', again, { once: true });
  else setTimeout(() => renew().catch(again), EVERY_MS);
}

again();
