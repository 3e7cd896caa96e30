/** A model that knows the right edit, searches for the page with the tools it is offered, and makes seeded mistakes. */
import type { Asked, Script, ScriptedAnswer } from '../../fakes/model-server.ts';
import { Chance } from '../../torture/seeded-random.ts';
import { correct, mistakes, type IntendedCall, type Mistake } from './mistakes.ts';
import type { ClumsyTask } from './tasks.ts';

const mistakeRate = 0.4;
/** Of the mistakes, how many are answers without a call. */
const narrationRate = 0.25;
const skipRate = 0.25;

export interface ClumsyScript {
  script: Script;
  /** The names of the mistakes so far. */
  made: string[];
}

export function clumsyScript(task: ClumsyTask, seed: number): ClumsyScript {
  const model = new ClumsyModel(task, new Chance(seed));
  return { script: (asked) => model.next(asked), made: model.made };
}

type Phase = 'find' | 'read' | 'edit' | 'check' | 'finish';

class ClumsyModel {
  readonly made: string[] = [];
  readonly #task: ClumsyTask;
  readonly #chance: Chance;
  #phase: Phase = 'find';
  #searches = 0;
  #last: IntendedCall | undefined;
  #lastMistake: Mistake | undefined;

  constructor(task: ClumsyTask, chance: Chance) {
    this.#task = task;
    this.#chance = chance;
  }

  next({ messages, tools }: Asked): ScriptedAnswer {
    const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
    const results = messages
      .slice(lastAnswer + 1)
      .flatMap((message) => (message.role === 'tool' ? message.text : []));
    this.#learn(results.join('\n'));
    const call = this.#intended(tools);
    const answer = this.#chance.happens(mistakeRate) ? this.#mistaken(call) : undefined;
    if (answer === undefined) this.#lastMistake = undefined;
    this.#last = call;
    return answer ?? correct(call);
  }

  /** Only what the tools show moves the work forward. */
  #learn(shown: string): void {
    const { path, old, new: text } = this.#task;
    if (this.#phase === 'find' && shown.includes(path.replace('.mdx', ''))) {
      this.#phase = this.#chance.happens(skipRate) ? 'edit' : 'read';
    } else if (this.#phase === 'edit' && shown.includes(text.trim())) {
      this.#phase = this.#chance.happens(skipRate) ? 'finish' : 'check';
    } else if (this.#phase === 'edit' && shown !== '' && !shown.includes(old.trim())) {
      this.#phase = 'read';
    } else if (this.#phase === 'read' && shown.includes(old.trim())) {
      this.#phase = 'edit';
    } else if (this.#phase === 'check' && this.#last?.name === 'validate' && shown !== '') {
      this.#phase = 'finish';
    }
  }

  #intended(tools: readonly string[]): IntendedCall {
    const { path, old, new: text, name } = this.#task;
    switch (this.#phase) {
      case 'find':
        return this.#search(tools);
      case 'read':
        return { name: 'read_file', input: { path } };
      case 'edit':
        return { name: 'edit_file', input: { path, old, new: text } };
      case 'check':
        return { name: 'validate', input: {} };
      case 'finish':
        return {
          name: 'finish',
          input: { title: `Correct ${name}`, summary: `Corrected ${name} as asked.` },
        };
    }
  }

  /** A ranked search first, if there is one; then the words, from common to rare, from the start again if none helps. */
  #search(tools: readonly string[]): IntendedCall {
    const { query, patterns } = this.#task;
    const ranked = tools.find((name) => name !== 'search' && /^(?:find|search)_/.test(name));
    const calls: IntendedCall[] = [
      ...(ranked === undefined ? [] : [{ name: ranked, input: { query } }]),
      ...patterns.map((pattern) => ({ name: 'search', input: { pattern, ignore_case: true } })),
    ];
    const call = calls[this.#searches % calls.length];
    this.#searches += 1;
    return call ?? { name: 'outline', input: {} };
  }

  #mistaken(call: IntendedCall): ScriptedAnswer | undefined {
    const situation = { call, last: this.#last, chance: this.#chance };
    const wasTextOnly = this.#lastMistake?.isTextOnly === true;
    const isTextOnly = !wasTextOnly && this.#chance.happens(narrationRate);
    const fitting = mistakes.filter((mistake) => (mistake.isTextOnly ?? false) === isTextOnly);
    for (const mistake of this.#chance.shuffled(fitting)) {
      if (mistake === this.#lastMistake) continue;
      const answer = mistake.make(situation);
      if (answer === undefined) continue;
      this.#lastMistake = mistake;
      this.made.push(mistake.name);
      return answer;
    }
    return undefined;
  }
}
