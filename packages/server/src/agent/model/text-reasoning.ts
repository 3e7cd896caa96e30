/** Separates the reasoning that a server leaves in the text of an answer. */
const pairs: readonly [opening: string, closing: string][] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|channel|>analysis<|message|>', '<|end|>'],
];

export function splitReasoning(text: string): { text: string; reasoning: string } {
  const trimmed = text.trimStart();
  for (const [opening, closing] of pairs) {
    const end = trimmed.indexOf(closing);
    const isOpened = trimmed.startsWith(opening);
    // The opening mark is part of the prompt in some templates.
    const hasOnlyEnd =
      end !== -1 && !trimmed.slice(0, end).includes(opening) && !trimmed.slice(0, end).includes('`');
    if (!isOpened && !hasOnlyEnd) continue;
    const start = isOpened ? opening.length : 0;
    return {
      text: end === -1 ? '' : trimmed.slice(end + closing.length).trimStart(),
      reasoning: trimmed.slice(start, end === -1 ? undefined : end).trim(),
    };
  }
  return { text, reasoning: '' };
}
