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

// On a phone the navigation is one row, wider than the screen: the link of this page is in sight.
const here = document.querySelector('.frame-nav [aria-current="page"]');
if (here) {
  const navigation = here.closest('nav');
  const [own, whole] = [here.getBoundingClientRect(), navigation.getBoundingClientRect()];
  navigation.scrollBy(
    own.left - whole.left - (whole.width - own.width) / 2,
    Math.max(0, own.bottom - whole.bottom),
  );
}
