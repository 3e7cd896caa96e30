/** Runs before every test file, also when several share a process. */
import { afterAll } from 'vitest';
import { runCleanups } from './cleanups.ts';

afterAll(runCleanups);
