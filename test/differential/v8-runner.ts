/** Runs the same modules as QuickJS in V8. It is not a security boundary: use it only with trusted sites. */
import { createContext, runInContext } from 'node:vm';
import { answer } from '../../packages/render/src/realm/answers.ts';
import { insideSource } from '../../packages/render/src/realm/inside.ts';
import type { CodeRequest, PageFacts } from '../../packages/render/src/realm/messages.ts';
import { CodeRefusedError, type CodeRunner, treeOf } from '../../packages/render/src/realm/realm.ts';
import type { Tree } from '../../packages/render/src/realm/tree.ts';
import { programGlobals } from '../../packages/render/src/program/globals.ts';
import type { ProgramModule } from '../../packages/render/src/program/program.ts';

interface Inside {
  begin(facts: string): void;
  define(id: string, factory: unknown, names: string): void;
  run(request: string): string;
}

export class V8Runner implements CodeRunner {
  #context = createContext({});
  #inside: Inside | undefined;
  readonly #defined = new Set<string>();

  beginPage(facts: PageFacts): void {
    this.#context = createContext({});
    this.#defined.clear();
    const start = runInContext(insideSource(), this.#context) as (ask: typeof answer) => Inside;
    this.#inside = start(answer);
    this.#inside.begin(JSON.stringify(facts));
  }

  run(modules: readonly ProgramModule[], request: CodeRequest): Tree {
    const inside = this.#inside;
    if (inside === undefined) throw new Error('no page was begun');
    for (const { id, factory } of modules) {
      if (this.#defined.has(id)) continue;
      this.#defined.add(id);
      inside.define(
        id,
        runInContext(factory, this.#context, { filename: id }),
        JSON.stringify(programGlobals),
      );
    }
    const result = treeOf(inside.run(JSON.stringify(request)));
    if (result instanceof CodeRefusedError) throw result;
    return result;
  }
}
