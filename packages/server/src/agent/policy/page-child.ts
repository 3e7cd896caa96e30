import { pageCodeReader } from '@docyard/render/source-rules';
import type { PageAnswer, PageOrder } from './page-process.ts';

process.once('message', (order: PageOrder) => {
  void readAll(order).finally(() => process.disconnect());
});
process.once('disconnect', () => process.exit());

async function readAll({ texts, parser }: PageOrder): Promise<void> {
  const read = await pageCodeReader(parser);
  // Sends each answer before the next page, so that a crash loses only the page that caused it.
  for (const [index, text] of texts.entries()) await send({ index, code: attempt(() => read(text)) });
  await send({ done: true });
}

function attempt<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function send(answer: PageAnswer): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(answer, () => resolve());
  });
}
