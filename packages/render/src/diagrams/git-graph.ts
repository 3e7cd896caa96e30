import { chartSvg, hueClass, quietText, strongText, textSvg, textWidth, topBelow } from './drawn-text.ts';
import { DiagramError, type DiagramSource, labelText, readStatements, shownTitle } from './source.ts';

interface Commit {
  id: string;
  /** The author gave no id, so none is shown. */
  isUnnamed: boolean;
  tag: string;
  type: 'NORMAL' | 'REVERSE' | 'HIGHLIGHT';
  isMerge: boolean;
  branch: number;
  /** Indexes of the parent commits; a cherry-picked one is `copied`. */
  parents: number[];
  copied: number | undefined;
}

interface Branch {
  name: string;
  order: number;
  head: number | undefined;
}

const laneHeight = 54;
const columnWidth = 46;
const maxCommits = 200;

export function drawGitGraph(source: DiagramSource): string {
  const { commits, branches } = new GitReader().read(source);
  const title = shownTitle(source);
  const lanes = laneOf(branches);
  const labels = Math.max(...branches.map(({ name }) => textWidth([name], 12))) + 20;
  const xs = columnsOf(commits, labels + 40);
  const top = topBelow(title) + 24;
  const place = (index: number): [number, number] => [
    xs[index] ?? 0,
    top + (lanes[commits[index]?.branch ?? 0] ?? 0) * laneHeight,
  ];
  const width = (xs.at(-1) ?? labels) + 44;
  const heads = branches.map(({ name }, branch) => {
    const y = top + (lanes[branch] ?? 0) * laneHeight;
    return (
      `<g class="${hueClass(branch)}"><line x1="${labels + 12}" y1="${y}" x2="${width - 12}" y2="${y}" stroke="var(--_inner-stroke)" stroke-dasharray="2 5"/>` +
      `<rect x="12" y="${y - 12}" width="${labels}" height="24" rx="5" fill="var(--dy-hue-soft)"/></g>` +
      textSvg([name], 12 + labels / 2, y + 4, 'middle', strongText)
    );
  });
  const lines = commits.flatMap((commit, index) => linesSvg(commit, index, commits, place));
  const dots = commits.map((commit, index) => commitSvg(commit, ...place(index)));
  const height = top + (branches.length - 1) * laneHeight + 40;
  return chartSvg(title, width, height, [...heads, ...lines, ...dots]);
}

class GitReader {
  readonly #commits: Commit[] = [];
  readonly #branches: Branch[] = [{ name: 'main', order: 0, head: undefined }];
  #current = 0;

  read(source: DiagramSource): { commits: Commit[]; branches: Branch[] } {
    readStatements(source, (statement) => /^title\s/.test(statement) || this.#statement(statement));
    if (this.#commits.length === 0) throw new DiagramError('it has no commits');
    if (this.#commits.length > maxCommits) throw new DiagramError('it has too many parts to be drawn');
    return { commits: this.#commits, branches: this.#branches };
  }

  #statement(statement: string): boolean {
    const [, word = '', rest = ''] = /^([a-z-]+)\b\s*(.*)$/.exec(statement) ?? [];
    switch (word) {
      case 'commit':
        this.#add(rest, {});
        return true;
      case 'branch':
        return this.#branch(rest);
      case 'checkout':
      case 'switch': {
        const found = this.#branches.findIndex(({ name }) => name === nameOf(rest));
        if (found >= 0) this.#current = found;
        return found >= 0;
      }
      case 'merge': {
        const from = this.#branches.find(({ name }) => name === nameOf(rest));
        if (from?.head === undefined) return false;
        this.#add(rest.replace(/^(?:"[^"]*"|\S+)/, ''), { isMerge: true }, from.head);
        return true;
      }
      case 'cherry-pick': {
        const id = option(rest, 'id');
        const copied = this.#commits.findIndex((commit) => commit.id === id);
        if (copied >= 0) this.#add(rest.replace(/\bid\s*:\s*"[^"]*"/, ''), { copied });
        return copied >= 0;
      }
      default:
        return false;
    }
  }

  #branch(rest: string): boolean {
    const name = nameOf(rest);
    if (name === '' || this.#branches.some((branch) => branch.name === name)) return false;
    const order = Number(/\border\s*:\s*(\d+)/.exec(rest)?.[1] ?? Number.NaN);
    const head = this.#branches[this.#current]?.head;
    this.#branches.push({ name, order: Number.isNaN(order) ? this.#branches.length / 1000 : order, head });
    this.#current = this.#branches.length - 1;
    return true;
  }

  #add(options: string, given: Partial<Commit>, merged?: number): void {
    const branch = this.#branches[this.#current];
    if (!branch) return;
    const parents = [branch.head, merged].filter((parent) => parent !== undefined);
    const id = option(options, 'id');
    const type = /\btype\s*:\s*(REVERSE|HIGHLIGHT)/.exec(options)?.[1] as Commit['type'] | undefined;
    this.#commits.push({
      id: id ?? `commit ${this.#commits.length + 1}`,
      isUnnamed: id === undefined,
      tag: labelText(option(options, 'tag') ?? '', 40).replaceAll('\n', ' '),
      type: type ?? 'NORMAL',
      isMerge: false,
      branch: this.#current,
      parents,
      copied: undefined,
      ...given,
    });
    branch.head = this.#commits.length - 1;
  }
}

function nameOf(rest: string): string {
  return (/^"([^"]+)"|^(\S+)/.exec(rest) ?? []).slice(1).find(Boolean) ?? '';
}

/** `id: "x"`; a quoted text alone is the message, which is shown instead of the id. */
function option(text: string, name: string): string | undefined {
  const named = new RegExp(`\\b${name}\\s*:\\s*"([^"]*)"`).exec(text)?.[1];
  if (named !== undefined || name !== 'id') return named;
  return (/\bmsg\s*:\s*"([^"]*)"/.exec(text) ?? /^\s*"([^"]*)"/.exec(text))?.[1];
}

/**
 * Branches without an order come first in order of creation; `main` is at the top unless others are ordered
 * before it.
 */
function laneOf(branches: readonly Branch[]): number[] {
  const sorted = branches.toSorted((a, b) => a.order - b.order);
  return branches.map((branch) => sorted.indexOf(branch));
}

function columnsOf(commits: readonly Commit[], start: number): number[] {
  let x = start;
  let reached = new Map<number, number>();
  return commits.map((commit, index) => {
    const half = Math.max(textWidth([labelOf(commit)], 11), textWidth([commit.tag], 11) + 12) / 2;
    const free = reached.get(commit.branch) ?? start - 20;
    x = Math.max(index === 0 ? start : x + columnWidth, free + half + 6);
    reached = new Map(reached).set(commit.branch, x + half);
    return Math.round(x);
  });
}

function labelOf(commit: Commit): string {
  return commit.isUnnamed ? '' : labelText(commit.id, 60).replaceAll('\n', ' ');
}

function linesSvg(
  commit: Commit,
  index: number,
  commits: readonly Commit[],
  place: (index: number) => [number, number],
): string[] {
  const [x, y] = place(index);
  const from = commit.copied === undefined ? [] : [{ parent: commit.copied, isCopy: true }];
  return [...commit.parents.map((parent) => ({ parent, isCopy: false })), ...from].map(
    ({ parent, isCopy }) => {
      const [px, py] = place(parent);
      /** A line into a branch has the color of the side it leaves or joins. */
      const other = commits[parent]?.branch ?? 0;
      const hue = commit.isMerge && other !== commit.branch ? other : commit.branch;
      const bend = Math.min(30, (x - px) / 2);
      const path =
        py === y
          ? `M${px} ${py}H${x}`
          : isCopy
            ? `M${px} ${py}C${px + bend} ${(py + y) / 2} ${x - bend} ${(py + y) / 2} ${x} ${y}`
            : commit.isMerge
              ? `M${px} ${py}H${x - bend}C${x - bend / 3} ${py} ${x} ${(py + y) / 2} ${x} ${y}`
              : `M${px} ${py}C${px} ${(py + y) / 2} ${px + bend / 3} ${y} ${px + bend} ${y}H${x}`;
      return `<g class="${hueClass(hue)}"><path d="${path}" fill="none" stroke="var(--dy-hue)" stroke-width="2.4"${isCopy ? ' stroke-dasharray="3 4"' : ''}/></g>`;
    },
  );
}

/** A stroke in the background color interrupts lines behind a label. */
const onLines = `${quietText} paint-order="stroke" stroke="var(--bg)" stroke-width="4"`;

function commitSvg(commit: Commit, x: number, y: number): string {
  const marks: Record<Commit['type'], string> = {
    NORMAL: `<circle cx="${x}" cy="${y}" r="7" fill="${commit.isMerge ? 'var(--bg)' : 'var(--dy-hue)'}" stroke="var(--dy-hue)" stroke-width="3"/>`,
    REVERSE: `<circle cx="${x}" cy="${y}" r="8" fill="var(--bg)" stroke="var(--dy-hue)" stroke-width="2"/><path d="M${x - 4} ${y - 4}l8 8M${x + 4} ${y - 4}l-8 8" stroke="var(--dy-hue)" stroke-width="2"/>`,
    HIGHLIGHT: `<rect x="${x - 8}" y="${y - 8}" width="16" height="16" rx="3" fill="var(--dy-hue)"/>`,
  };
  const tagWidth = textWidth([commit.tag], 11) + 12;
  const tag = commit.tag
    ? `<rect x="${x - tagWidth / 2}" y="${y - 32}" width="${tagWidth}" height="17" rx="4" fill="var(--bg)" stroke="var(--_line)"/>${textSvg([commit.tag], x, y - 20, 'middle', quietText)}`
    : '';
  const label = labelOf(commit) ? textSvg([labelOf(commit)], x, y + 23, 'middle', onLines) : '';
  return `<g class="${hueClass(commit.branch)}">${marks[commit.type]}</g>${tag}${label}`;
}
