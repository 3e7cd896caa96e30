import type { Target } from '../target.ts';
import { egress, repositories } from './addresses.ts';
import { archives } from './archives.ts';
import { fastPages, slowPages } from './pages.ts';
import { bundleLinks, keys, previewLinks, signatures } from './signed.ts';
import { configuration, evaluator, frontMatter } from './sources.ts';

export const targets: readonly Target[] = [
  fastPages,
  slowPages,
  evaluator,
  frontMatter,
  configuration,
  bundleLinks,
  previewLinks,
  keys,
  signatures,
  archives,
  repositories,
  egress,
];
