/**
 * Renders a page of nobody's in a process that waits for a site: code that has run is faster, and what is compiled now need not be
 * compiled when pages wait. It leaves nothing behind.
 */
import { setImmediate as aPause } from 'node:timers/promises';
import { readApiSettings } from '../config/api.ts';
import { renderPage, siteTools } from './render-page.ts';
import type { PageTask, SitePlan } from './task.ts';

/** Enough for what every page runs through to be compiled, if it takes so long until the site is there. */
const mostPages = 60;

export async function warmUp(isIdle: () => boolean): Promise<void> {
  if (!isIdle()) return;
  const tools = siteTools(samplePlan);
  for (let page = 0; page < mostPages && isIdle(); page++) {
    renderPage(tools, sampleTask(page), 'fast');
    await aPause();
  }
}

export const samplePlan: SitePlan = {
  root: '/',
  files: [],
  routes: ['start', 'guides/first'],
  rendered: ['start', 'guides/first'],
  urlStyle: 'html',
  origin: '',
  basePath: '',
  redirects: [],
  variables: {},
  math: 'auto',
  banner: '',
  iconLibrary: 'fontawesome',
  specs: {},
  api: readApiSettings(undefined),
  specInMarkdown: false,
  airGapped: true,
  pictures: new Map(),
  asksForPictures: false,
  customCode: { refused: '' },
  writesLookups: true,
  clockMs: 0,
};

export function sampleTask(page: number): PageTask {
  return {
    id: page,
    route: 'guides/first',
    file: 'guides/first.mdx',
    output: 'guides/first.html',
    title: `Step ${page}`,
    description: 'How a boat is moored, and what to do when the wind turns.',
    generated: true,
    content: sampleContent(page),
    search: { keywords: [], boost: 1, hints: 'Guides' },
  };
}

/**
 * Code that is the same as on an earlier page would not be highlighted again, so the number stands in it. Nothing in it needs what
 * is loaded only for some sites: icons, formulas, diagrams.
 */
function sampleContent(page: number): string {
  return `Boats are **moored** at a [berth](/start) with \`lines${page}\`. It’s the harbour that assigns one – ask _early_, since
berth ${page} may be taken[^1]. See [the harbour](https://example.com) and [the next part](#a-second-part).

## A first part ${page}

- One line goes to the bow
- Another one goes to the stern
  1. Make it fast
  2. Take in the slack

<Note>Fenders hang between the boat and the quay.</Note>

\`\`\`ts moor.ts
import { berth } from './harbour.ts';

/** Gives the number of the berth. */
export async function moor(boat: string, length = ${page}): Promise<number> {
  const free = await berth({ boat, length, lines: ['bow', "stern"] });
  if (!free) throw new Error(\`no berth for \${boat}\`);
  return free.number + 1;
}
\`\`\`

| Line | Length | Made fast to |
| --- | ---: | --- |
| bow | ${page} m | \`ring\` |
| stern | 12 m | a [cleat](/start#cleats) |

## A second part

<Steps>
  <Step title="Approach">
    Slowly, against the wind.
  </Step>
  <Step title="Make fast">
    \`\`\`bash
    harbour moor --boat "Ada" --berth ${page} | tee mooring.log  # and wait
    \`\`\`
  </Step>
</Steps>

<CodeGroup>
\`\`\`json berth.json
{ "berth": ${page}, "lines": ["bow", "stern"], "free": true }
\`\`\`

\`\`\`python moor.py
def moor(boat: str, berth: int = ${page}) -> dict:
    """Moors a boat."""
    return {"boat": boat, "berth": berth}
\`\`\`

\`\`\`yaml berth.yaml
berth: ${page}
lines: [bow, stern] # both
\`\`\`
</CodeGroup>

<CardGroup cols={2}>
  <Card title="Leave" href="/start">Cast off the stern line first.</Card>
  <Card title="Stay">The harbour counts the nights.</Card>
</CardGroup>

> A knot that cannot be untied is no knot.

### In the end

Paragraphs with plain words make up most of a page, so here is one more: whoever reads it twice has read it once too often,
and whoever does not may be right.

[^1]: Berths are given out in the morning.
`;
}
