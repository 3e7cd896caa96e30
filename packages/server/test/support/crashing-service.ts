/** A `docyard` that is killed in its first attempt at an agent job, right after the step in CRASH_AFTER. */
import { createRunners, runners } from '../../src/compose.ts';
import { main } from '../../src/main.ts';

Object.assign(
  runners,
  createRunners({
    onAgentStep: (step, { attempt }) => {
      if (step === process.env['CRASH_AFTER'] && attempt === 1) process.kill(process.pid, 'SIGKILL');
    },
  }),
);
process.exitCode = await main(process.argv.slice(2));
