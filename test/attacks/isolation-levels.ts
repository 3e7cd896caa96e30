/** The isolation levels that this machine supports. */
import { type IsolationLevel, tryEach, unconfined } from '../../packages/server/src/sandbox/isolation.ts';
import type { Confinement, SandboxSetup } from '../../packages/server/src/sandbox/launch.ts';
import { findRuntimeFiles } from '../../packages/server/src/sandbox/runtime-files.ts';

export interface Level {
  level: IsolationLevel;
  setup: SandboxSetup;
}

const confinements: readonly [IsolationLevel, Confinement][] = [
  [3, { namespaces: true, seccomp: true, limits: true }],
  [2, { namespaces: true, seccomp: false, limits: true }],
  [1, { namespaces: false, seccomp: false, limits: true }],
];

/** Strictest first. Reports levels that are not available. */
export async function findLevels(report: (text: string) => void): Promise<Level[]> {
  const levels: Level[] = [];
  for (const [level, confinement] of confinements) {
    const isolation = await tryEach([confinement]);
    if (isolation.level === level) levels.push({ level, setup: isolation });
    else report(`Level ${level} is not available here. ${isolation.statement}`);
  }
  return [...levels, { level: 0, setup: { confinement: unconfined, runtime: await findRuntimeFiles() } }];
}
