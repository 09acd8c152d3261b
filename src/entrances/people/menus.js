// Without script the menus of the header close by another press on their names.
const menus = document.querySelectorAll('.frame-menu');
document.addEventListener('pointerdown', ({ target }) => {
  for (const menu of menus) if (!menu.contains(target)) menu.open = false;
});
for (const menu of menus)
  menu.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
