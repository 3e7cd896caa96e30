/** Shown for an id that does not exist or belongs to another organization. */
import { DocyardError, InvalidParameterError } from '@docyard/api';
import { ButtonLink } from './button.tsx';
import type { IconName } from './icons.tsx';
import { Empty, Panel } from './page.tsx';

/** The server refuses an id that no record can have with 400. */
export function isNotFound(error: unknown): boolean {
  return error instanceof DocyardError
    ? [400, 404].includes(error.status)
    : error instanceof InvalidParameterError;
}

interface RecordNotFoundProps {
  icon: IconName;
  what: string;
  list: { to: string; label: string };
}

export function RecordNotFound({ icon, what, list }: RecordNotFoundProps) {
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
