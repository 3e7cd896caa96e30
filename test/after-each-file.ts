/** Read before every test file, also where several share a process. */
import { afterAll } from 'vitest';
import { runCleanups } from './cleanups.ts';

afterAll(runCleanups);
