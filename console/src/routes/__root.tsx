import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Link } from '@tanstack/react-router'
import { Shell } from '@/app/shell'
import { Page } from '@/ui/page'

export const Route = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Shell,
  notFoundComponent: () => (
    <Page title="There is nothing here" hint="The address may be mistyped, or what it named is not yours.">
      <Link to="/runs" className="text-accent underline underline-offset-4">Go to your runs</Link>
    </Page>
  ),
})
