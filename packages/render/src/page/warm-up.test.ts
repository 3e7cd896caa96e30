import { expect, it } from 'vitest';
import { renderPage, siteTools } from './render-page.ts';
import { sampleTask, samplePlan, warmUp } from './warm-up.ts';

it('renders pages that have nothing wrong with them and differ from each other', () => {
  const tools = siteTools(samplePlan);
  const [first, second] = [0, 1].map((page) => renderPage(tools, sampleTask(page), 'fast'));
  expect(first).toMatchObject({ failed: false, diagnostics: [] });
  expect(Buffer.from(first?.html ?? []).toString()).toMatch(/<pre[\s\S]*<table[\s\S]*class="[^"]*card/);
  expect(second?.html).not.toEqual(first?.html);
});

it('stops as soon as there is work, and by itself', async () => {
  let asked = 0;
  await warmUp(() => ++asked < 4);
  expect(asked).toBe(4);
  await warmUp(() => ++asked > 0);
  expect(asked).toBeLessThan(100);
});
