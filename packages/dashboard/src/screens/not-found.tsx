/** For an address that the dashboard does not have. */
import { ButtonLink } from '../parts/button.tsx';
import { Empty, Page } from '../parts/page.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        icon="search"
        title="There is no such page"
        action={<ButtonLink to="/">Go to the overview</ButtonLink>}
      >
        The address may be mistyped, or what it named is gone.
      </Empty>
    </Page>
  );
}
