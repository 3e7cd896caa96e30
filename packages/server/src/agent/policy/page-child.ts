/** The process that reads the pages of a change for the gate and ends. It is given text and gives back what is in it. */
import { pageCodeReader } from '@docyard/render/source-rules';
import type { PageAnswer, PageOrder } from './page-process.ts';

process.once('message', (order: PageOrder) => {
  void readAll(order).finally(() => process.disconnect());
});
// Without a parent there is nobody to work for.
process.once('disconnect', () => process.exit());

async function readAll({ texts, parser }: PageOrder): Promise<void> {
  const read = await pageCodeReader(parser);
  // Each answer leaves before the next page is read, so that a page that ends this process takes no other along.
  for (const [index, text] of texts.entries()) await say({ index, code: attempt(() => read(text)) });
  await say({ done: true });
}

function attempt<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function say(answer: PageAnswer): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(answer, () => resolve());
  });
}
