/**
 * Follows references across the files of a program: which pieces of a document reach interactive code, and
 * which files they need. Imports may be cyclic.
 */
import type { CompiledFile } from './file.ts';
import type { CodeFacts, Unit } from './liveness.ts';

export class ProgramGraph {
  readonly #files: ReadonlyMap<string, CompiledFile>;
  readonly #declaring = new Map<string, Map<string, Unit>>();
  /** Stands for everything in a file, for importers of the whole file. */
  readonly #wholes = new Map<string, Unit>();
  readonly #atOnce = new Map<string, ReadonlySet<string>>();
  readonly #live: ReadonlySet<Unit>;

  constructor(files: ReadonlyMap<string, CompiledFile>) {
    this.#files = files;
    for (const [file, { units }] of files) {
      const byName = units.flatMap((unit) => unit.declares.map((name) => [name, unit] as const));
      this.#declaring.set(file, new Map(byName));
      this.#wholes.set(file, { live: false, uses: new Set(), declares: [] });
    }
    this.#live = this.#findLive();
  }

  isLive(file: string, code: CodeFacts): boolean {
    return code.live || this.#unitsUsedBy(file, code).some((unit) => this.#live.has(unit));
  }

  /** Every file other than the document runs completely, so all its imports are needed too. */
  filesNeededBy(file: string, pieces: readonly CodeFacts[]): Set<string> {
    const open = [...this.#neededAtOnce(file), ...pieces.flatMap((piece) => this.#filesUsedBy(file, piece))];
    const needed = new Set([file]);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (needed.has(next)) continue;
      needed.add(next);
      open.push(...(this.#files.get(next)?.imports ?? []));
    }
    return needed;
  }

  /** Imports that the document's own `import` and `export` lines need. */
  #neededAtOnce(file: string): ReadonlySet<string> {
    const known = this.#atOnce.get(file);
    if (known) return known;
    const { runsAtOnce = [], units = [] } = this.#files.get(file) ?? {};
    const needed = new Set([...runsAtOnce, ...units.flatMap((unit) => this.#filesUsedBy(file, unit))]);
    this.#atOnce.set(file, needed);
    return needed;
  }

  #filesUsedBy(file: string, { uses }: CodeFacts): string[] {
    const imported = this.#files.get(file)?.imported;
    return [...uses].flatMap((name) => imported?.get(name)?.file ?? []);
  }

  #findLive(): Set<Unit> {
    const users = new Map<Unit, Unit[]>();
    const live = new Set<Unit>();
    const addUser = (used: Unit, user: Unit): void => {
      const known = users.get(used);
      if (known) known.push(user);
      else users.set(used, [user]);
    };
    for (const [file, { units }] of this.#files) {
      const whole = this.#wholes.get(file);
      for (const unit of units) {
        if (unit.live) live.add(unit);
        if (whole) addUser(unit, whole);
        for (const used of this.#unitsUsedBy(file, unit)) {
          addUser(used, unit);
          /** `Tabs.Item = …` declares nothing: it extends the name it assigns to. */
          if (unit.declares.length === 0) addUser(unit, used);
        }
      }
    }
    /** A set's iteration also visits the values added during it. */
    for (const unit of live) for (const user of users.get(unit) ?? []) live.add(user);
    return live;
  }

  #unitsUsedBy(file: string, { uses }: CodeFacts): Unit[] {
    const imported = this.#files.get(file)?.imported;
    return [...uses].flatMap((name) => {
      const from = imported?.get(name);
      if (from) return this.#exported(from.file, from.name, new Set());
      return this.#declaring.get(file)?.get(name) ?? [];
    });
  }

  #exported(file: string, name: string, seen: Set<string>): Unit[] {
    const key = `${name} ${file}`;
    const found = this.#files.get(file);
    const whole = this.#wholes.get(file);
    if (!found || !whole || seen.has(key)) return [];
    seen.add(key);
    if (name === '*') return [whole];
    const named = found.exports.get(name);
    if (!named) return found.exportsAllOf.flatMap((from) => this.#exported(from, name, seen));
    if (named.file !== undefined) return this.#exported(named.file, named.local, seen);
    const from = found.imported.get(named.local);
    if (from) return this.#exported(from.file, from.name, seen);
    const unit = this.#declaring.get(file)?.get(named.local);
    return unit ? [unit] : [];
  }
}
