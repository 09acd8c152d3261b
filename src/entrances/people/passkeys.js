// Passkeys need script; everything else on these pages works without.
const area = document.querySelector('[data-passkey]');
const said = document.querySelector('[data-passkey-said]');

// A passkey belongs to a name: an address such as 127.0.0.1 has none.
const hasName = !/^[\d.]+$|:/.test(location.hostname);

if (area && hasName && window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  area.hidden = false;
  const button = area.querySelector('button');
  button.addEventListener('click', () => {
    said.textContent = '';
    button.disabled = true;
    const act = area.dataset.passkey === 'add' ? add : enter;
    act().catch((error) => {
      button.disabled = false;
      const isOwn = error instanceof Refusal;
      said.textContent = isOwn
        ? error.message
        : 'No se pudo usar la llave de acceso. Intenta de nuevo.';
    });
  });
  // A page that the browser kept comes back as it was left.
  window.addEventListener('pageshow', () => {
    button.disabled = false;
  });
}

class Refusal extends Error {}

async function enter() {
  const options = await ask('generate-authenticate-options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...options,
    userVerification: 'required',
  });
  const credential = await navigator.credentials.get({ publicKey });
  await ask('verify-authentication', { response: credential.toJSON() });
  location.assign(area.dataset.next);
}

async function add() {
  const options = await ask('generate-register-options');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  const name = document.querySelector('#passkey-name').value;
  await ask('verify-registration', { response: credential.toJSON(), name });
  location.assign(area.dataset.next);
}

async function ask(path, body) {
  const answer = await window.fetch(`/api/auth/passkey/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body && { body: JSON.stringify(body) }),
  });
  const answered = await answer.json();
  if (!answer.ok) throw new Refusal(answered.error.message);
  return answered.data;
}
