/** The instructions of the demo, with the tool calls that a perfect model would make on the sample site. */
import type { ScriptedTask } from './scripted-model.ts';

/** Added to the sample, so that the demo has a link to fix. */
export const brokenLink = {
  file: 'setup/unboxing.mdx',
  right: '](/setup/siting)',
  wrong: '](/setup/placement)',
};

const firstWinter = `---
title: The first winter
description: What frost does to a station, and what to do about it.
---

## Before the frost

Clean the rain funnel and look at the battery, as [care](/living/care) shows.

## While it freezes

Leave ice alone. The wind cups come free by themselves when the sun is on them.
`;

export const tasks: ScriptedTask[] = [
  {
    prompt: 'Find the broken link on the unboxing page and fix it.',
    calls: [
      { tool: 'validate', input: {} },
      { tool: 'read_file', input: { path: brokenLink.file } },
      {
        tool: 'edit_file',
        input: { path: brokenLink.file, old: brokenLink.wrong, new: brokenLink.right },
      },
      { tool: 'validate', input: {} },
      {
        tool: 'finish',
        input: {
          title: 'Fix the link to the page about a good place',
          summary: 'The last line of the unboxing page linked to a page that does not exist.',
        },
      },
    ],
  },
  {
    prompt: 'Rename the page setup/siting to setup/a-good-place. Old links must keep working.',
    calls: [
      { tool: 'move_page', input: { from: 'setup/siting.mdx', to: 'setup/a-good-place.mdx' } },
      { tool: 'validate', input: {} },
      {
        tool: 'finish',
        input: {
          title: 'Rename the page about a good place',
          summary:
            'The page has a new address. Links and navigation follow it, and the old address redirects.',
        },
      },
    ],
  },
  {
    prompt: 'Write a short page about the first winter and add it to the navigation, after care.',
    calls: [
      { tool: 'read_file', input: { path: 'docs.json' } },
      { tool: 'write_file', input: { path: 'living/first-winter.mdx', content: firstWinter } },
      {
        tool: 'edit_file',
        input: { path: 'docs.json', old: '"living/care", ', new: '"living/care", "living/first-winter", ' },
      },
      { tool: 'validate', input: {} },
      {
        tool: 'finish',
        input: {
          title: 'Add a page about the first winter',
          summary: 'A new page says what frost does to a station. It stands after care in the navigation.',
        },
      },
    ],
  },
];
