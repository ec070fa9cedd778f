/** An icon button with a label for hover and screen readers. */
import type { JSX } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick(event: MouseEvent): void;
  pressed?: boolean;
  disabled?: boolean;
  class?: string;
}

export function IconButton({
  icon,
  label,
  onClick,
  pressed,
  disabled,
  class: extra = "",
}: IconButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      title={label}
      aria-label={label}
      disabled={disabled}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
