import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { mallocSettings } from './process-settings.ts';

/** Prints how much the data size of a process grows, in megabytes, when it draws its first image. */
const drawingProcess = `
  import { readFileSync } from 'node:fs';
  const dataMegabytes = () => /VmData:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1] / 1024;
  const before = dataMegabytes();
  const { renderAsync } = await import('@resvg/resvg-js');
  await renderAsync('<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"/>');
  console.log(dataMegabytes() - before);
`;

describe.runIf(process.platform === 'linux')('the memory settings of a render process', () => {
  it('a social image uses little of the data limit', () => {
    const grown = execFileSync(process.execPath, ['--input-type=module', '--eval', drawingProcess], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      env: { ...process.env, ...mallocSettings },
    });
    expect(Number(grown)).toBeLessThan(300);
  });
});
