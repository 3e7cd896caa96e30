/** Runs compiled modules in `node:vm` with a minimal React. This is not a security boundary. */
import { createContext, runInContext } from 'node:vm';
import { programGlobals } from '../../src/program/globals.ts';
import type { ProgramModule } from '../../src/program/program.ts';

export type Exports = Record<string, unknown>;

export function runModules(modules: readonly ProgramModule[]): (id: string) => Exports {
  const context = createContext({});
  const react: Record<string, unknown> = {
    Fragment: 'fragment',
    createElement: (type: unknown, props: unknown, ...children: unknown[]) => ({
      type,
      props: { ...(props as object) },
      children,
    }),
    useState: (initial: unknown) => [initial, () => undefined],
  };
  const parameters = programGlobals.map((name) => (name === 'React' ? react : react[name]));
  const loaded = new Map<string, Exports>();
  const require = (id: string): Exports => {
    const known = loaded.get(id);
    if (known) return known;
    const module = modules.find((item) => item.id === id);
    if (!module) throw new Error(`${id} is not there`);
    const exports = Object.create(null) as Exports;
    loaded.set(id, exports);
    const factory = runInContext(module.factory, context, { filename: id }) as (
      ...given: unknown[]
    ) => unknown;
    (factory(...parameters) as (require: unknown, exports: Exports) => void)(require, exports);
    return exports;
  };
  return require;
}
