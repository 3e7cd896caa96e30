/** What every case of the robustness suite has: a group, a name, and a run that returns its problems and its cost. */
export const groups = ['dialects', 'context', 'timeouts', 'clumsy', 'service'] as const;
export type Group = (typeof groups)[number];

export interface RobustnessCase {
  group: Group;
  /** The model server that the case imitates. */
  server: string;
  name: string;
  run(): Promise<CaseResult>;
}

export interface CaseResult {
  /** Empty if the case passed. */
  problems: string[];
  turns: number;
  inputTokens: number;
  outputTokens: number;
  /** Of several tasks, how many passed. */
  tasks?: { passed: number; total: number };
}

export interface CaseReport extends CaseResult {
  group: Group;
  server: string;
  name: string;
  seconds: number;
}

export async function runCase({ group, server, name, run }: RobustnessCase): Promise<CaseReport> {
  const started = performance.now();
  const result = await run().catch((error: unknown): CaseResult => {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { problems: [text], turns: 0, inputTokens: 0, outputTokens: 0 };
  });
  return { group, server, name, ...result, seconds: (performance.now() - started) / 1000 };
}
