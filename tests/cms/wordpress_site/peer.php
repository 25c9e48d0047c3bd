<?php
/*
 * Must-use plugin of the test peer: a custom type, a shortcode that shows categories, webhooks, faults, and a clock
 * that can be turned. Switches are a JSON file that is read with every request.
 */
$GLOBALS['peer'] = json_decode((string) @file_get_contents(getenv('PEER_FOLDER') . '/switches.json'), true) ?: [];
$GLOBALS['peer_touched'] = [];

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

/* ---- webhooks: one event for each document that an edit touches, signed by the Standard Webhooks specification */

function peer_touch($id, $hook = 'derived') { // "derived": no hook of WordPress names this document
    $post = get_post($id);
    if ($post && in_array($post->post_type, ['post', 'page', 'guide'], true)) {
        $known = $GLOBALS['peer_touched'][(int) $id][0] ?? 'derived';
        $GLOBALS['peer_touched'][(int) $id] = [$known === 'derived' ? $hook : $known, $post->post_type, $post->post_status];
    }
}

function peer_touch_descendants($id) { // their addresses hold that of their parent
    global $wpdb;
    foreach ($wpdb->get_col($wpdb->prepare("SELECT ID FROM $wpdb->posts WHERE post_type = 'page' AND post_parent = %d", $id)) as $child) {
        peer_touch($child);
        peer_touch_descendants($child);
    }
}

function peer_touch_users_of_pattern($id) {
    global $wpdb;
    $like = '%' . $wpdb->esc_like('wp:block {"ref":' . $id . '}') . '%';
    foreach ($wpdb->get_col($wpdb->prepare("SELECT ID FROM $wpdb->posts WHERE post_type <> 'revision' AND post_content LIKE %s", $like)) as $user) {
        peer_touch($user);
    }
}

add_action('wp_after_insert_post', function ($id, $post) {
    if ($post->post_type === 'wp_block') {
        peer_touch_users_of_pattern($id);
    } else {
        peer_touch($id, 'wp_after_insert_post');
        peer_touch_descendants($id);
    }
}, 10, 2);
add_action('before_delete_post', fn($id) => peer_touch_descendants($id));
add_action('deleted_post', function ($id, $post) {
    if (in_array($post->post_type, ['post', 'page', 'guide'], true)) {
        $GLOBALS['peer_touched'][(int) $id] = ['deleted_post', $post->post_type, $post->post_status];
    }
}, 10, 2);
foreach (['edited_term', 'pre_delete_term'] as $hook) {
    add_action($hook, fn($term) => array_map(fn($id) => peer_touch($id), (array) get_objects_in_term($term, 'category')));
}

add_action('shutdown', function () {
    $url = peer_switch('webhook_url');
    foreach ($url ? $GLOBALS['peer_touched'] : [] as $id => [$hook, $type, $status]) {
        $message = 'msg_' . bin2hex(random_bytes(12));
        $now = (string) time();
        $kind = $hook === 'deleted_post' ? 'document.deleted' : 'document.updated';
        $data = ['id' => $id, 'type' => $type, 'status' => $status, 'hook' => $hook];
        $body = wp_json_encode(['type' => $kind, 'timestamp' => gmdate('c'), 'data' => $data]);
        $key = base64_decode(preg_replace('/^whsec_/', '', (string) peer_switch('webhook_secret')));
        $signature = base64_encode(hash_hmac('sha256', "$message.$now.$body", $key, true));
        wp_remote_post($url, ['timeout' => 5, 'body' => $body, 'headers' => [
            'Content-Type' => 'application/json',
            'webhook-id' => $message,
            'webhook-timestamp' => $now,
            'webhook-signature' => "v1,$signature",
        ]]);
    }
});

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
