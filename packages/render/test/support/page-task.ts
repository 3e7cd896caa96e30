import type { PageTask } from '../../src/model/page.ts';

export function pageTask(id: number, file: string): PageTask {
  return { id, route: file, file, output: `${file}.html`, title: file, description: '' };
}
