/** css-tree publishes types for its main entry only. */
declare module 'css-tree/tokenizer' {
  export function tokenize(css: string, visit: (type: number, start: number, end: number) => void): void;
  export const tokenTypes: Record<
    | 'Function'
    | 'AtKeyword'
    | 'String'
    | 'Url'
    | 'WhiteSpace'
    | 'Colon'
    | 'Semicolon'
    | 'RightParenthesis'
    | 'LeftCurlyBracket'
    | 'RightCurlyBracket'
    | 'Comment',
    number
  >;
}

declare module 'css-tree/utils' {
  interface Codec {
    decode(written: string): string;
  }
  export const url: Codec;
  export const string: Codec;
}
