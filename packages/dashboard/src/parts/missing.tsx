/** What a screen shows for an id that does not exist, or that belongs to another organization. */
import { DocyardError } from '@docyard/api';
import { isInvalidId } from '../api/server-watch.ts';
import { ButtonLink } from './button.tsx';
import type { IconName } from './icons.tsx';
import { Empty, Panel } from './page.tsx';

/** An id that no record can have is refused as invalid. */
export function isMissing(error: unknown): boolean {
  return error instanceof DocyardError ? [400, 404].includes(error.status) : isInvalidId(error);
}

interface MissingProps {
  icon: IconName;
  /** Such as `export`. */
  what: string;
  list: { to: string; label: string };
}

export function Missing({ icon, what, list }: MissingProps) {
  return (
    <Panel>
      <Empty
        icon={icon}
        title={`This ${what} does not exist or you have no access`}
        action={<ButtonLink to={list.to}>{list.label}</ButtonLink>}
      >
        It may have been deleted, or the link may belong to another organization.
      </Empty>
    </Panel>
  );
}
