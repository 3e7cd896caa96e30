/** One `@font-face` rule of an exported site. */
export interface FontFace {
  family: string;
  /** Output path. */
  file: string;
  /** A number, or two for a variable font, as in CSS. */
  weight: string;
  /** Undefined for a file that covers all its characters. */
  unicodeRange?: string | undefined;
}

export interface FontFile {
  path: string;
  content: Uint8Array;
}

export const fontFolder = '_docyard/fonts';
