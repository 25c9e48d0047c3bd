<?php
/* What differs from site to site comes from the environment of the server process. */
$url = 'http://127.0.0.1:' . getenv('PEER_PORT');
define('DB_DIR', getenv('PEER_FOLDER') . '/db/');
define('DB_FILE', 'wp.sqlite');
define('DB_NAME', 'wp');
define('DB_USER', '');
define('DB_PASSWORD', '');
define('DB_HOST', '');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', 'test-key-' . $name);
    define($name . '_SALT', 'test-salt-' . $name);
}
$table_prefix = 'wp_';
define('WP_HOME', $url);
define('WP_SITEURL', $url);
define('WP_ENVIRONMENT_TYPE', 'local'); // application passwords over plain http
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
define('WP_DEBUG', false);
if (!defined('ABSPATH')) {
    define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
