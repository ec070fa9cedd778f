/** A button that opens a menu of actions. */
import type { JSX } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  label: string;
  icon: IconName;
  run(): void;
}

export interface ActionMenuProps {
  label: string;
  icon?: IconName;
  items: readonly MenuItem[];
}

export function ActionMenu({ label, icon = "more", items }: ActionMenuProps): JSX.Element {
  return (
    <details class="menu actions-menu">
      <summary class="icon-button" title={label} aria-label={label}>
        <Icon name={icon} />
      </summary>
      <ul>
        {items.map((item) => (
          <li key={item.label}>
            <button
              type="button"
              onClick={({ currentTarget }) => {
                currentTarget.closest("details")!.open = false;
                item.run();
              }}
            >
              <Icon name={item.icon} size={14} /> {item.label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
