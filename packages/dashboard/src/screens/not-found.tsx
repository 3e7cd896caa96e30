import { ButtonLink } from '../parts/button.tsx';
import { Empty, Page } from '../parts/page.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon="search" title="Page not found" action={<ButtonLink to="/">Go to the overview</ButtonLink>}>
        The address may be wrong, or the record was deleted.
      </Empty>
    </Page>
  );
}
