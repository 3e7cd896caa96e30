/** A `docyard` that is killed in the attempt CRASH_ATTEMPT (1) at an agent job, right after the step in CRASH_AFTER. */
import { createRunners, runners } from '../../src/compose.ts';
import { main } from '../../src/main.ts';

Object.assign(
  runners,
  createRunners({
    onAgentStep: (step, { attempt }) => {
      if (step === process.env['CRASH_AFTER'] && attempt === Number(process.env['CRASH_ATTEMPT'] ?? 1))
        process.kill(process.pid, 'SIGKILL');
    },
  }),
);
process.exitCode = await main(process.argv.slice(2));
