/** The levels of isolation that this machine can hold, each with what a process must be started with to be at it. */
import { type IsolationLevel, tryEach, unconfined } from '../../packages/server/src/rendering/isolation.ts';
import type { Confinement, Shelter } from '../../packages/server/src/rendering/launch.ts';
import { findOwnFiles } from '../../packages/server/src/rendering/own-files.ts';

export interface Level {
  level: IsolationLevel;
  shelter: Shelter;
}

const confinements: readonly [IsolationLevel, Confinement][] = [
  [3, { walls: true, filter: true, limits: true }],
  [2, { walls: true, filter: false, limits: true }],
  [1, { walls: false, filter: false, limits: true }],
];

/** From the tightest on. What is not available here is told, and left out. */
export async function findLevels(tell: (text: string) => void): Promise<Level[]> {
  const levels: Level[] = [];
  for (const [level, confinement] of confinements) {
    const isolation = await tryEach([confinement]);
    if (isolation.level === level) levels.push({ level, shelter: isolation });
    else tell(`Level ${level} is not available here. ${isolation.statement}`);
  }
  return [...levels, { level: 0, shelter: { confinement: unconfined, own: await findOwnFiles() } }];
}
