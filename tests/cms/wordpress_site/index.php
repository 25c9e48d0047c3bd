<!DOCTYPE html>
<?php /* The whole theme: a single document, a list of titles for everything else. */ ?>
<html <?php language_attributes(); ?>>
<head><meta charset="utf-8"><title><?php wp_title(''); ?></title><?php wp_head(); ?></head>
<body>
<header><nav>Peer</nav></header>
<main>
<?php if (is_singular()) : while (have_posts()) : the_post(); ?>
<article id="post-<?php the_ID(); ?>"><h1><?php the_title(); ?></h1><div class="entry"><?php the_content(); ?></div></article>
<?php endwhile; elseif (is_404()) : ?>
<p>Nothing here.</p>
<?php else : while (have_posts()) : the_post(); ?>
<p class="teaser"><?php the_title(); ?></p>
<?php endwhile; endif; ?>
</main>
<?php wp_footer(); ?>
</body>
</html>
