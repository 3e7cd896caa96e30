/** Renders text in backticks as code. */
export function TextWithCode({ text }: { text: string }) {
  return text.split('`').map((part, index, parts) =>
    // An unpaired backtick is plain text.
    index % 2 === 1 && index < parts.length - 1 ? (
      // oxlint-disable-next-line react/no-array-index-key
      <code key={index}>{part}</code>
    ) : index % 2 === 1 ? (
      `\`${part}`
    ) : (
      part
    ),
  );
}
