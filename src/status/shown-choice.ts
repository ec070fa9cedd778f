export interface ShownOption {
  /** What stands before it: a digit or a letter. */
  number?: string;
  label: string;
  isMarked: boolean;
  /** Of a checkbox. */
  isChecked?: boolean;
  /** Words of one's own can be typed there. */
  takesText?: boolean;
  /** What opens it for words, where its line says so. */
  opensWith?: "tab";
  /** Its line says that Escape means it, too. */
  isEscape?: boolean;
}

export interface Choice {
  question: string;
  options: ShownOption[];
  /** More than one can be picked. */
  isSeveral: boolean;
  /** The options stand beside each other. */
  isAcross: boolean;
  /** There are more options than are shown. */
  isScrolled: boolean;
}
