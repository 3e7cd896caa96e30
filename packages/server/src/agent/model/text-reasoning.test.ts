import { expect, test } from 'vitest';
import { splitReasoning } from './text-reasoning.ts';

test.each([
  ['tags', '<think>\nI should look.\n</think>\n\nDone.', 'Done.', 'I should look.'],
  ['only the closing tag', 'I should look.</think>Done.', 'Done.', 'I should look.'],
  ['an open end', '<think>I should', '', 'I should'],
  ['the marks of Mistral', '[THINK]Hm.[/THINK]Done.', 'Done.', 'Hm.'],
  ['the channel of Harmony', '<|channel|>analysis<|message|>Hm.<|end|>Done.', 'Done.', 'Hm.'],
])('reasoning with %s is separated', (_, given, text, reasoning) => {
  expect(splitReasoning(given)).toEqual({ text, reasoning });
});

test.each(['Plain text.', 'The tag `<think>` starts and `</think>` ends the reasoning.'])(
  '"%s" has no reasoning',
  (text) => {
    expect(splitReasoning(text)).toEqual({ text, reasoning: '' });
  },
);
