export interface ShownOption {
  /** Its key: a digit or a letter. */
  number?: string;
  label: string;
  isMarked: boolean;
  /** State of a checkbox. */
  isChecked?: boolean;
  /** Free text can be typed there. */
  takesText?: boolean;
  /** The key that opens it for text, if its label names one. */
  opensWith?: "tab";
  /** Its label says that Escape selects it too. */
  isEscape?: boolean;
}

export interface Choice {
  question: string;
  options: ShownOption[];
  /** Several can be chosen. */
  isSeveral: boolean;
  /** The options are side by side. */
  isAcross: boolean;
  /** There are more options than visible. */
  isScrolled: boolean;
}
