/** A button that opens a menu of actions, each with its name. */
import type { JSX } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  label: string;
  icon: IconName;
  disabled?: boolean;
  run(): void;
}

/** `download`: the file's name, if it is saved instead of opened. */
export interface MenuLink {
  label: string;
  icon: IconName;
  href: string;
  download?: string;
}

export interface ActionMenuProps {
  label: string;
  icon?: IconName;
  /** Beside the icon. */
  text?: string;
  items: readonly (MenuItem | MenuLink)[];
}

export function ActionMenu({ label, icon = "more", text, items }: ActionMenuProps): JSX.Element {
  return (
    <details class="menu actions-menu">
      <summary class={text === undefined ? "icon-button" : "button quiet small"} title={label} aria-label={label}>
        <Icon name={icon} {...(text === undefined ? {} : { size: 14 })} /> {text}
      </summary>
      <ul>
        {items.map((item) => (
          <li key={item.label}>
            <Entry item={item} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Entry({ item }: { item: MenuItem | MenuLink }): JSX.Element {
  const content = (
    <>
      <Icon name={item.icon} size={14} /> {item.label}
    </>
  );
  const close = (element: Element): void => void (element.closest("details")!.open = false);
  if ("href" in item)
    return (
      <a href={item.href} download={item.download} onClick={({ currentTarget }) => close(currentTarget)}>
        {content}
      </a>
    );
  return (
    <button
      type="button"
      disabled={item.disabled}
      onClick={({ currentTarget }) => {
        close(currentTarget);
        item.run();
      }}
    >
      {content}
    </button>
  );
}
