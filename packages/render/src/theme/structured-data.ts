/** The schema.org graph of a page as JSON-LD. */
import type { Organization } from '../config/machine-readers.ts';

export interface StructuredPage {
  siteName: string;
  siteDescription: string | undefined;
  home: string;
  organization: Organization | undefined;
  logo: string | undefined;
  address: string;
  title: string;
  description: string;
  language: string;
  trail: { label: string; address: string | undefined }[];
  image: string | undefined;
  /** `2026-06-17`. */
  modified: string | undefined;
  isApi: boolean;
}

export function structuredData(page: StructuredPage): string {
  const { home, address, organization } = page;
  const organizationId = organization?.id ?? `${home}#organization`;
  const websiteId = `${home}#website`;
  const description = page.description || undefined;
  const graph = [
    {
      '@type': 'Organization',
      '@id': organizationId,
      name: organization?.name ?? page.siteName,
      legalName: organization?.legalName,
      url: organization?.url ?? home,
      logo: organization?.logo ?? page.logo,
      sameAs: organization?.sameAs.length ? organization.sameAs : undefined,
    },
    {
      '@type': 'WebSite',
      '@id': websiteId,
      url: home,
      name: page.siteName,
      description: page.siteDescription,
      publisher: { '@id': organizationId },
    },
    {
      '@type': 'WebPage',
      '@id': address,
      url: address,
      name: page.title,
      description,
      inLanguage: page.language,
      isPartOf: { '@id': websiteId },
      breadcrumb: { '@id': `${address}#breadcrumb` },
      dateModified: page.modified,
    },
    {
      '@type': 'BreadcrumbList',
      '@id': `${address}#breadcrumb`,
      itemListElement: [
        { label: page.siteName, address: home },
        ...page.trail,
        { label: page.title, address },
      ].map(({ label, address: item }, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: label,
        item,
      })),
    },
    {
      '@type': page.isApi ? 'APIReference' : 'TechArticle',
      '@id': `${address}#article`,
      headline: page.title,
      description,
      inLanguage: page.language,
      mainEntityOfPage: { '@id': address },
      publisher: { '@id': organizationId },
      image: page.image,
      dateModified: page.modified,
    },
  ];
  return safeJson({ '@context': 'https://schema.org', '@graph': graph });
}

/** Escaped so that it cannot end its script element or open a comment. */
function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
