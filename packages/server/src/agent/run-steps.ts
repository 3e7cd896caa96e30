/** The steps of a run in order: kinds of the journal, and effects outside that come before their entry in it. */
export const runSteps = [
  'prepared',
  'message',
  'answer',
  'result',
  'loop-ended',
  'validated',
  'judged',
  'committed',
  'branch pushed',
  'pushed',
  'previewed',
  'pull request made',
  'proposed',
  'ended',
  'run settled',
] as const;
export type RunStep = (typeof runSteps)[number];
/** Called after each step. */
export type OnRunStep = (step: RunStep, job: { attempt: number }) => void;
