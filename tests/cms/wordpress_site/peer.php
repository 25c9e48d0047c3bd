<?php
/*
 * Must-use plugin of the test peer: a custom type, a shortcode that shows categories, faults, a clock that can be turned,
 * and the address that events go to. Switches are a JSON file that is read with every request.
 */
$GLOBALS['peer'] = json_decode((string) @file_get_contents(getenv('PEER_FOLDER') . '/switches.json'), true) ?: [];

function peer_switch($name) {
    return $GLOBALS['peer'][$name] ?? null;
}

add_action('init', function () {
    register_post_type('guide', [
        'public' => true,
        'show_in_rest' => peer_switch('fault') !== 'type_dropped',
        'rest_base' => 'guides',
        'supports' => ['title', 'editor'],
        'rewrite' => ['slug' => 'guides'],
    ]);
    add_shortcode('categories', fn() => 'Filed under ' . implode(', ', wp_list_pluck(get_the_category(), 'name')) . '.');
});

/* ---- webhooks: those of the plugin that users install (examples/webhooks/wordpress), switched on and off here */

define('TRUECOPY_WEBHOOK_URL', (string) peer_switch('webhook_url'));
define('TRUECOPY_WEBHOOK_SECRET', (string) peer_switch('webhook_secret'));

/* ---- the clock: a scheduled document becomes due */

add_action('rest_api_init', function () {
    register_rest_route('peer/v1', '/due/(?P<id>\d+)', [
        'methods' => 'POST',
        'permission_callback' => fn() => current_user_can('manage_options'),
        'callback' => function ($request) {
            global $wpdb;
            $id = (int) $request['id'];
            $due = gmdate('Y-m-d H:i:s', time() - 1);
            $wpdb->update($wpdb->posts, ['post_date_gmt' => $due, 'post_date' => get_date_from_gmt($due)], ['ID' => $id]);
            clean_post_cache($id);
            wp_clear_scheduled_hook('publish_future_post', [$id]);
            wp_schedule_single_event(time() - 1, 'publish_future_post', [$id]);
            return true;
        },
    ]);
});

/* ---- faults: what plugins and outages do to the answers */

switch (peer_switch('fault')) {
    case 'notice': // a plugin prints into every answer
        add_action('rest_api_init', function () {
            echo "<br />\n<b>Notice</b>: Undefined index in plugin.php on line 7<br />\n";
        });
        break;
    case 'page': // a maintenance plugin answers everything with a page
        add_action('parse_request', function () {
            header('Content-Type: text/html');
            exit('<!DOCTYPE html><title>We will be back</title>');
        }, 0);
        break;
    case 'filtered': // a plugin filters every query
        add_action('pre_get_posts', fn($query) => $query->set('post__in', [0]));
        break;
    case 'closed': // a security plugin wants an account
        add_filter('rest_authentication_errors', fn($error) => is_user_logged_in() ? $error
            : new WP_Error('rest_not_logged_in', 'Log in first.', ['status' => 401]));
        break;
}
