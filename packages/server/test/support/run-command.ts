/** Runs a command in the test process, because starting Node for each command is slow. */
import { vi } from 'vitest';
import { main } from '../../src/main.ts';

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

export async function docyard(...args: string[]): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    return { status: await main(args), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}
