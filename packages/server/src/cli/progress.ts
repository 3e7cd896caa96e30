/**
 * Progress on standard error: a bar on a terminal, plain lines in a pipeline, nothing for programs. The remaining
 * time is shown once a rate is known.
 */
import { canRedraw, columnsOf, hasColors, hasUnicode, painter, type Paint } from './terminal.ts';

export interface Step {
  phase: string;
  /** 0 to 1; undefined while unknown. */
  share?: number | undefined;
  done?: number | undefined;
  total?: number | undefined;
}

export interface ProgressOptions {
  unit: 'pages' | 'bytes';
  quiet?: boolean | undefined;
  json?: boolean | undefined;
  stream?: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;
  environment?: NodeJS.ProcessEnv;
  nowMs?: () => number;
}

const redrawIntervalMs = 100;
const lineIntervalMs = 5000;

export class Progress {
  readonly #options: Required<Pick<ProgressOptions, 'stream' | 'environment' | 'nowMs' | 'unit'>>;
  readonly #style: 'bar' | 'lines' | 'nothing';
  readonly #paint: Paint;
  readonly #amounts = new Rate();
  readonly #shares = new Rate();
  #phase = '';
  #toldAt = -Infinity;

  constructor(options: ProgressOptions) {
    const { stream = process.stderr, environment = process.env, nowMs = () => performance.now() } = options;
    this.#options = { stream, environment, nowMs, unit: options.unit };
    const isShown = options.quiet !== true && options.json !== true;
    this.#style = isShown ? (canRedraw(stream, environment) ? 'bar' : 'lines') : 'nothing';
    this.#paint = painter(hasColors(stream, environment));
  }

  update(step: Step): void {
    if (this.#style === 'nothing') return;
    const now = this.#options.nowMs();
    const changed = step.phase !== this.#phase;
    // Each phase has its own rate.
    if (changed) this.#amounts.reset();
    if (step.done !== undefined) this.#amounts.see(step.done, now);
    if (step.share !== undefined) this.#shares.see(step.share, now);
    const pause = this.#style === 'bar' ? redrawIntervalMs : lineIntervalMs;
    if (!changed && now - this.#toldAt < pause) return;
    const isFirst = this.#phase === '';
    this.#phase = step.phase;
    this.#toldAt = now;
    // Short work needs no line in a log.
    if (isFirst && this.#style === 'lines') return;
    const { stream } = this.#options;
    stream.write(
      this.#style === 'bar' ? `\r${this.#bar(step)}\u001b[K` : `${this.#words(step).join(', ')}\n`,
    );
  }

  /** Removes the bar, so that the next line starts at the margin. */
  end(): void {
    if (this.#style === 'bar' && this.#phase !== '') this.#options.stream.write('\r\u001b[K');
    this.#phase = '';
  }

  /** Fits into one line: the bar shrinks first, then the last parts are dropped. */
  #bar(step: Step): string {
    const columns = columnsOf(this.#options.stream) - 1;
    const words = this.#words(step);
    while (words.length > 1 && words.join('  ').length > columns) words.pop();
    const [phase = '', ...rest] = words;
    const text = [phase.padEnd(9), ...rest].join('  ');
    const room = Math.min(30, columns - text.length - 2);
    if (step.share === undefined || room < 5) return text.slice(0, columns);
    const full = Math.round(step.share * room);
    const [done, open] = hasUnicode(this.#options.environment) ? ['━', '─'] : ['#', '.'];
    const bar = this.#paint('cyan', done.repeat(full)) + this.#paint('dim', open.repeat(room - full));
    return [phase.padEnd(9), bar, ...rest].join('  ');
  }

  #words({ phase, share, done, total }: Step): string[] {
    const words = [phase];
    if (share !== undefined) words.push(`${Math.floor(share * 100)} %`);
    if (done !== undefined && (done > 0 || total !== undefined)) words.push(this.#amount(done, total));
    const perSecond = this.#amounts.perSecond();
    if (perSecond !== undefined && perSecond > 0) words.push(this.#speed(perSecond));
    const left = share === undefined ? undefined : this.#shares.secondsUntil(1, share);
    if (left !== undefined && share !== 1) words.push(`${durationText(left)} left`);
    return words;
  }

  #amount(done: number, total: number | undefined): string {
    if (this.#options.unit === 'bytes') {
      return total === undefined ? bytesText(done) : `${bytesText(done)} of ${bytesText(total)}`;
    }
    return total === undefined ? `${done} pages` : `${done} of ${total} pages`;
  }

  #speed(perSecond: number): string {
    if (this.#options.unit === 'bytes') return `${bytesText(perSecond)}/s`;
    return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} pages/s`;
  }
}

/** The half-life of the moving average. */
const halfLifeMs = 3000;
/** Earlier rates would be guesses. */
const minMs = 1000;

class Rate {
  #first: { value: number; atMs: number } | undefined;
  #last = { value: 0, atMs: 0 };
  #perMs: number | undefined;

  see(value: number, atMs: number): void {
    // Waiting in the queue does not count.
    if (this.#first === undefined || value === this.#first.value) this.#first = { value, atMs };
    else {
      const passed = atMs - this.#last.atMs;
      // Reports in quick succession would show an excessive rate.
      if (passed < redrawIntervalMs) return;
      const perMs = Math.max(0, value - this.#last.value) / passed;
      const old = 0.5 ** (passed / halfLifeMs);
      this.#perMs = this.#perMs === undefined ? perMs : this.#perMs * old + perMs * (1 - old);
    }
    this.#last = { value, atMs };
  }

  reset(): void {
    this.#first = undefined;
    this.#perMs = undefined;
  }

  perSecond(): number | undefined {
    if (this.#first === undefined || this.#last.atMs - this.#first.atMs < minMs) return undefined;
    return this.#perMs === undefined ? undefined : this.#perMs * 1000;
  }

  secondsUntil(end: number, now: number): number | undefined {
    const perSecond = this.perSecond();
    return perSecond === undefined || perSecond <= 0 ? undefined : (end - now) / perSecond;
  }
}

export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(2)} GB`;
}
