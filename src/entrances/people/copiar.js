// Without script the texts are selected and copied by hand.
for (const button of document.querySelectorAll('[data-copies]')) {
  const text = document.getElementById(button.dataset.copies);
  const said = button.nextElementSibling;
  button.hidden = false;
  button.addEventListener('click', () => {
    copy(text).then(
      () => {
        said.textContent = 'Copiado.';
      },
      () => {
        said.textContent = 'No se pudo copiar. Quedó seleccionado: cópialo con el teclado.';
      },
    );
  });
}

async function copy(text) {
  if (text.select) text.select();
  else getSelection().selectAllChildren(text);
  await navigator.clipboard.writeText(text.value ?? text.textContent);
}
