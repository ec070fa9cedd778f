/** Closes open menus on Escape or a click outside. */
export function closeMenusOutside(): void {
  document.addEventListener("click", ({ target }) => closeMenus(target as Element));
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") closeMenus(null);
  });
}

function closeMenus(except: Element | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
    if (except === null || !menu.contains(except)) menu.open = false;
  }
}
