/** `docyard site` that kills itself after the step named by CRASH_AFTER. */
import { startSite } from '../../src/start-site.ts';

const [file, data] = process.argv.slice(2);
const { port } = await startSite(
  {
    file,
    environment: process.env,
    flags: { port: '0', logLevel: 'debug', ...(data === undefined ? {} : { data }) },
  },
  {
    onStep: (step) => {
      if (step === process.env['CRASH_AFTER']) process.kill(process.pid, 'SIGKILL');
    },
  },
);
console.log(`The site is served at http://127.0.0.1:${port}`);
