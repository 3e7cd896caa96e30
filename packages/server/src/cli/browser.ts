/** Opens URLs in the user's browser. */
import { spawn } from 'node:child_process';

/** Never true in a pipeline. */
export function isAtDesktop(): boolean {
  return (
    process.stdout.isTTY && !process.env['CI'] && !process.env['SSH_CONNECTION'] && openerOf().length > 0
  );
}

/** False without a desktop or a program that opens URLs. */
export async function showInBrowser(address: string): Promise<boolean> {
  const [program, ...args] = openerOf();
  if (program === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function openerOf(): string[] {
  const { BROWSER: chosen, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (chosen) return [chosen];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : [];
}
