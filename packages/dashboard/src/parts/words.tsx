/** A sentence of the server. What it sets in backticks is code. */
export function Words({ text }: { text: string }) {
  return text.split('`').map((part, index, parts) =>
    // The last one has no partner when the number of marks is odd.
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
