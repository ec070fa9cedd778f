/** Types of the internal parts of xterm.js 6.0.0 in use. Types only, so that the page can import them. */

/** Attributes for the next text: two words and the extended ones. */
export interface Pen {
  fg: number;
  bg: number;
  extended: ExtendedAttributes;
}

export interface ExtendedAttributes {
  /** Underline colour in the lower 26 bits, style in the next three. (The getters hide the style under a link.) */
  readonly _ext: number;
  readonly urlId: number;
}

/** Three words a cell: content, foreground, background. */
export interface Line {
  readonly length: number;
  isWrapped: boolean;
  readonly _data: Uint32Array;
  /** Text of cells with more than one code point. */
  readonly _combined: Record<number, string>;
  readonly _extendedAttrs: Record<number, ExtendedAttributes | undefined>;
}

export interface Lines {
  readonly length: number;
  readonly isFull: boolean;
  maxLength: number;
  get(index: number): Line | undefined;
  trimStart(count: number): void;
}

export type Charset = Record<string, string> | undefined;

export interface ScreenBuffer {
  readonly lines: Lines;
  x: number;
  y: number;
  /** Index of the screen's first line. */
  ybase: number;
  ydisp: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Record<number, boolean | undefined>;
  readonly savedX: number;
  /** Counted like `ybase`. */
  savedY: number;
  readonly savedCurAttrData: Pen;
  readonly savedCharset: Charset;
}

export interface EraseParams {
  readonly params: readonly number[];
  readonly length: number;
}

export interface SequenceId {
  readonly intermediates?: string;
  readonly final: string;
}

export interface EmulatorCore {
  readonly buffers: { readonly normal: ScreenBuffer; readonly alt: ScreenBuffer; readonly active: ScreenBuffer };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly modes: { readonly insertMode: boolean };
    readonly decPrivateModes: { readonly origin: boolean; readonly wraparound: boolean };
  };
  readonly optionsService: { readonly rawOptions: { scrollback: number } };
  readonly _bufferService: {
    readonly buffer: ScreenBuffer;
    readonly cols: number;
    readonly rows: number;
    scroll(eraseAttributes: Pen, isWrapped?: boolean): void;
  };
  readonly unicodeService: { charProperties(codePoint: number, preceding: number): number };
  readonly _charsetService: { readonly glevel: number; readonly charset: Charset; readonly _charsets: Charset[] };
  readonly _oscLinkService: { getLinkData(id: number): { id?: string; uri: string } | undefined };
  readonly _inputHandler: {
    readonly _curAttrData: Pen;
    readonly _parser: {
      readonly currentState: number;
      /** Kind of the last printed character. */
      precedingJoinState: number;
      /** The parameters are shared: changes affect later handlers. */
      registerCsiHandler(id: SequenceId, handle: (sequence: { params: Int32Array }) => boolean): void;
    };
    parse(data: Uint8Array): unknown;
    /** What `parse` is reading; `print` gets other data for repetitions. */
    readonly _parseBuffer: Uint32Array;
    print(data: Uint32Array, start: number, end: number): void;
    _eraseAttrData(): Pen;
    eraseInDisplay(params: EraseParams, respectProtect?: boolean): boolean;
    eraseInLine(params: EraseParams, respectProtect?: boolean): boolean;
  };
}
