/**
 * `npm run answers-eval`: asks the questions of `questions/` about real sites and measures retrieval, citations and refusals, with
 * an oracle as the model or with the one that MODEL_URL and MODEL_NAME name.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AnswerSettings,
  assistantProviders,
  type ModelSettings,
} from '../../packages/site/src/answers/answer-settings.ts';
import { answer } from '../../packages/site/src/answers/answerer.ts';
import { TokenBudget } from '../../packages/site/src/answers/question-limits.ts';
import { openLog } from '../../packages/site/src/log/log.ts';
import { siteSearch } from '../../packages/site/src/search/site-search.ts';
import { openSite, type ServedSite } from '../../packages/site/src/serving/served-site.ts';
import { findSites, noSitesMessage, siteFolders } from '../../scripts/measure/find-sites.ts';
import { filesBelow, render } from '../../scripts/measure/render.ts';
import { startModelServer } from '../fakes/model-server.ts';

const help = `Asks questions about real sites and prints how well they are answered.

  npm run answers-eval -- [--sites FOLDER] [--write]

  --sites FOLDER   real sites, as folders or *.tar.gz (default: the folder that DOCYARD_SITES names)
  --write          store the figures of retrieval in results.json
  --verbose        print each question whose page is not among the first five passages
  --help           this text

The default model is an oracle that knows which questions the sites answer. To use another one, set MODEL_URL, MODEL_NAME and, if it
needs them, MODEL_KEY and MODEL_PROVIDER (openai-compatible or anthropic).
`;

interface Asked {
  question: string;
  pages: string[];
}

const sites = ['jlowin+fastmcp', 'superradcompany+microsandbox', 'mem0ai+mem0'];
const maxPassages = 8;
const recallAt = 5;
/** The default language and version. */
const scope = 0;

interface Figures {
  site: string;
  questions: number;
  unanswerable: number;
  recallAt5: number;
  meanReciprocalRank: number;
  /** Answers whose citations all name a passage, of those with an answer. */
  validCitations: number;
  /** Answers that cite a page that answers the question, of the answerable questions. */
  rightPageCited: number;
  /** Unanswerable questions without an answer. */
  refused: number;
  /** Of those, without asking the model. */
  refusedBySearch: number;
  /** Answerable questions without an answer. */
  wronglyRefused: number;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      sites: { type: 'string', multiple: true, default: [] },
      write: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const folders = siteFolders(values.sites);
  if (folders.length === 0) {
    process.stderr.write(`${noSitesMessage}\n`);
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-answers-'));
  try {
    const figures: Figures[] = [];
    for (const { name, root } of findSites(folders, scratch).filter((found) => sites.includes(found.name))) {
      const out = join(scratch, 'out', name);
      const { crash } = await render(root, out);
      if (crash !== undefined) throw new Error(`${name} cannot be rendered: ${crash}`);
      figures.push(await measure(name, await open(out), values.verbose));
    }
    console.table(figures);
    const file = new URL('results.json', import.meta.url);
    if (values.write) writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
    return 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function open(folder: string): Promise<ServedSite> {
  const files = filesBelow(folder).map((path) => ({
    path,
    sizeBytes: statSync(join(folder, path)).size,
    sha256: '',
  }));
  const compressedFolder = join(folder, 'none');
  return openSite({ id: 'evaluated', siteFolder: folder, compressedFolder, manifest: { files } });
}

async function measure(name: string, site: ServedSite, isVerbose: boolean): Promise<Figures> {
  const text = readFileSync(new URL(`questions/${name}.json`, import.meta.url), 'utf8');
  const all = JSON.parse(text) as Asked[];
  const answerable = all.filter(({ pages }) => pages.length > 0);
  const ranks: number[] = [];
  for (const { question, pages } of answerable) {
    const found = await siteSearch(site).find(question, { limit: maxPassages, scope });
    const rank = found.findIndex(({ path }) => pages.includes(path)) + 1;
    ranks.push(rank);
    if (isVerbose && (rank === 0 || rank > recallAt))
      console.log(
        `${question}\n  ${found
          .slice(0, recallAt)
          .map(({ url }) => url)
          .join('\n  ')}`,
      );
  }
  const { outcomes, close } = await askAll(site, all);
  await close();
  const given = outcomes.filter(({ reason }) => reason === 'answered');
  const refused = outcomes.filter(({ pages, reason }) => pages.length === 0 && reason === 'not_found');
  return {
    site: name,
    questions: all.length,
    unanswerable: all.length - answerable.length,
    recallAt5: share(ranks.filter((rank) => rank > 0 && rank <= recallAt).length, answerable.length),
    meanReciprocalRank: share(
      ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0),
      answerable.length,
    ),
    validCitations: share(given.filter(({ isValid }) => isValid).length, given.length),
    rightPageCited: share(given.filter(({ isRightPage }) => isRightPage).length, answerable.length),
    refused: share(refused.length, all.length - answerable.length),
    refusedBySearch: share(
      refused.filter(({ isModelAsked }) => !isModelAsked).length,
      all.length - answerable.length,
    ),
    wronglyRefused: share(
      outcomes.filter(({ pages, reason }) => pages.length > 0 && reason === 'not_found').length,
      answerable.length,
    ),
  };
}

function share(count: number, total: number): number {
  return total === 0 ? 1 : Math.round((count / total) * 1000) / 1000;
}

interface Outcome extends Asked {
  reason: string;
  isValid: boolean;
  isRightPage: boolean;
  isModelAsked: boolean;
}

async function askAll(site: ServedSite, all: readonly Asked[]) {
  const { model, close } = await modelToAsk(all);
  const settings: AnswerSettings = {
    model,
    embeddings: null,
    maxQuestionsPerHour: 1000,
    maxTokensPerDay: 1e9,
    maxAnswerTokens: 800,
    timeoutSeconds: 300,
    instructions: '',
    site: { url: null, trustedProxies: [] },
  };
  const parts = {
    settings,
    budget: new TokenBudget(1e9),
    reranker: null,
    offline: false,
    log: openLog({ level: 'silent', format: 'json' }),
  };
  const outcomes: Outcome[] = [];
  for (const asked of all) outcomes.push(await outcomeOf(site, asked, parts));
  return { outcomes, close };
}

async function outcomeOf(
  site: ServedSite,
  asked: Asked,
  parts: Parameters<typeof answer>[2],
): Promise<Outcome> {
  const outcome = { ...asked, reason: 'error', isValid: false, isRightPage: false, isModelAsked: false };
  const signal = AbortSignal.timeout(300_000);
  const question = { question: asked.question, history: [], scope };
  let urls: string[] = [];
  let shown = '';
  for await (const event of answer(site, question, parts, signal)) {
    if (event.type === 'passages') urls = event.passages.map(({ url }) => url);
    if (event.type === 'text') shown += event.text;
    if (event.type !== 'done') continue;
    const numbers = [...shown.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
    outcome.reason = event.reason;
    outcome.isModelAsked = event.usage !== null;
    outcome.isValid = numbers.every((number) => number >= 1 && number <= urls.length);
    outcome.isRightPage = event.citations.some((number) =>
      asked.pages.some((page) => urls[number - 1]?.slice(1).split('#', 1)[0] === page),
    );
  }
  return outcome;
}

/** The oracle cites every passage and one that does not exist. */
async function modelToAsk(
  all: readonly Asked[],
): Promise<{ model: ModelSettings; close: () => Promise<void> }> {
  const { MODEL_URL, MODEL_NAME, MODEL_KEY, MODEL_PROVIDER } = process.env;
  if (MODEL_URL !== undefined && MODEL_NAME !== undefined) {
    const provider = assistantProviders.find((name) => name === (MODEL_PROVIDER ?? 'openai-compatible'));
    if (provider === undefined) throw new Error(`MODEL_PROVIDER must be ${assistantProviders.join(' or ')}.`);
    const model = { provider, url: MODEL_URL.replace(/\/$/, ''), name: MODEL_NAME, key: MODEL_KEY ?? null };
    return { model, close: async () => {} };
  }
  const server = await startModelServer(({ messages }) => {
    const last = messages.at(-1);
    const text = last !== undefined && 'text' in last ? last.text : '';
    const asked = all.find(({ question }) => text.endsWith(`Question: ${question}`));
    const numbers = [...text.matchAll(/<passage number="(\d+)">/g)].map(([, number]) => `[${number}]`);
    return { text: asked?.pages.length ? `It is explained there ${numbers.join('')}[99].` : 'NOT_FOUND' };
  });
  const model = { provider: 'openai-compatible', url: server.url, name: 'oracle', key: null } as const;
  return { model, close: () => server.close() };
}
