import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Link } from '@tanstack/react-router'
import { Shell } from '@/app/shell'
import { Page } from '@/ui/page'

export const Route = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Shell,
  notFoundComponent: () => (
    <Page title="There is nothing here" hint="The address is mistyped, or what it named is not yours.">
      <Link to="/runs" className="link">Go to your runs</Link>
    </Page>
  ),
})
